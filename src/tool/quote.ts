/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A text as a string of SQL. @param mark - `"` for a name. */
export function sqlText(text: string, mark = "'"): string {
  return mark + text.replaceAll(mark, mark + mark) + mark;
}

/** A text as a string of Terraform's language, in which `${` and `%{` begin an expression. */
export function hclText(text: string): string {
  return JSON.stringify(text).replaceAll(/[$%](?=\{)/g, '$&$&');
}

export function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
