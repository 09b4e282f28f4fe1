/** A binding of groups to a role that is still to be named, as the configuration has it. */
export function bindingYaml(groups: readonly string[]): string {
  // A configuration reads `$$` as `$`, and `${NAME}` as a value from outside.
  return [
    'bindings:',
    '  - groups:',
    ...groups.map((name) => `      - ${JSON.stringify(name).replaceAll('$', '$$$$')}`),
    '    role: ROLE',
  ].join('\n');
}
