// Renders the templates of a Helm chart as Helm does: text/template with sprig, `include` and `toYaml`.
// go run render-chart.go CHART VALUES RELEASE; GOPATH holds Debian's packages of Go.
package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func main() {
	chart, release := os.Args[1], os.Args[3]
	data := map[string]interface{}{
		"Values":  read(os.Args[2]),
		"Chart":   capitalised(read(filepath.Join(chart, "Chart.yaml"))),
		"Release": map[string]interface{}{"Name": release, "Service": "Helm", "Namespace": "default"},
	}
	root := template.New("chart").Option("missingkey=error")
	root.Funcs(sprig.TxtFuncMap()).Funcs(template.FuncMap{
		"toYaml": func(value interface{}) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"include": func(name string, value interface{}) (string, error) {
			var out bytes.Buffer
			err := root.ExecuteTemplate(&out, name, value)
			return out.String(), err
		},
	})
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	check(err)
	template.Must(root.ParseFiles(files...))
	for _, file := range files {
		if filepath.Ext(file) != ".yaml" {
			continue
		}
		os.Stdout.WriteString("---\n")
		check(root.ExecuteTemplate(os.Stdout, filepath.Base(file), data))
	}
}

func read(file string) map[string]interface{} {
	text, err := os.ReadFile(file)
	check(err)
	values := map[string]interface{}{}
	check(yaml.Unmarshal(text, &values))
	return values
}

// Helm names the members of the chart as Go does.
func capitalised(chart map[string]interface{}) map[string]interface{} {
	named := map[string]interface{}{}
	for name, value := range chart {
		named[strings.ToUpper(name[:1])+name[1:]] = value
	}
	return named
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
