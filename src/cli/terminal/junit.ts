type JunitSuite = {
  readonly name: string;
  readonly cases: readonly {
    readonly name: string;
    readonly line: number | undefined;
    readonly failure: string | undefined;
  }[];
};

/** Test results in the XML of JUnit, as build servers read it. The name of a suite is its file. */
export function junitXml(name: string, suites: readonly JunitSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(name)}" ${countsOf(all)}>`,
    ...suites.flatMap(({ name: file, cases }) => [
      `  <testsuite name="${escaped(file)}" ${countsOf(cases)}>`,
      ...cases.flatMap((one) => {
        const open = `    <testcase classname="${escaped(file)}" name="${escaped(one.name)}" file="${escaped(file)}"${one.line === undefined ? '' : ` line="${one.line}"`}`;
        return one.failure === undefined
          ? [`${open}/>`]
          : [`${open}>`, `      <failure message="${escaped(one.failure)}"/>`, '    </testcase>'];
      }),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

function countsOf(cases: JunitSuite['cases']): string {
  return `tests="${cases.length}" failures="${cases.filter(({ failure }) => failure !== undefined).length}" errors="0"`;
}

/** Escapes text for an attribute. Characters that XML 1.0 cannot contain become U+FFFD. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`);
}
