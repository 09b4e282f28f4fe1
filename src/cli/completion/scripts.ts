export type Shell = keyof typeof SCRIPTS;

/** What each shell reads. A name is put into the command line quoted, so that nothing in it is run. */
export const SCRIPTS = {
  bash: `_svc() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$(printf %q "$word")")
  done < <(svc complete-words bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ \${COMPREPLY[0]-} == */ ]]; then compopt -o nospace; fi
}
complete -o default -F _svc svc
`,
  zsh: `#compdef svc
_svc() {
  local -a names
  names=("\${(@f)$(svc complete-words zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -z $names ]]; then _files; return; fi
  compadd -S '' -- $names
}
if [[ $funcstack[1] == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`,
  fish: `complete -c svc -a '(svc complete-words fish -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
} as const;
