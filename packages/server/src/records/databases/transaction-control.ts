const control =
  /^\s*(?:begin|start\s+transaction|commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b))\b/i;

/** Without one of these words there is nothing to look for; with one, there rarely is. */
const suspect = /\b(?:begin|start|commit|end|abort|prepare|rollback)\b/i;

/** Where something begins that is no code: a comment, an E'…' string, a string, a quoted name, a dollar quote. */
const quiet =
  /--[^\n\r]*|\/\*|(?<![\w$\u0080-\uffff])[eE]'(?:[^'\\]|\\[\s\S]|'')*'?|'[^']*'?|"[^"]*"?|(?<![\w$\u0080-\uffff])(\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)/g;

/**
 * Whether one of the statements in `text` begins or ends a transaction. A text without parameters may hold several
 * (`UPDATE …; COMMIT`), and words in strings and comments are none. Savepoints are not meant.
 *
 * @see https://www.postgresql.org/docs/current/sql-syntax-lexical.html
 */
export function controlsTransaction(text: string): boolean {
  return (
    suspect.test(text) &&
    codeOf(text)
      .split(';')
      .some((statement) => control.test(statement))
  );
}

/** The text with a blank for each comment and an empty string for everything quoted. */
function codeOf(text: string): string {
  let code = '';
  let at = 0;
  quiet.lastIndex = 0;
  for (let match = quiet.exec(text); match; match = quiet.exec(text)) {
    const [found, dollars] = match;
    const isComment = found.startsWith('--') || found === '/*';
    code += text.slice(at, match.index) + (isComment ? ' ' : "''");
    if (found === '/*') at = afterComment(text, match.index);
    else if (dollars !== undefined) at = after(text, dollars, quiet.lastIndex);
    else at = quiet.lastIndex;
    quiet.lastIndex = at;
  }
  return code + text.slice(at);
}

/** In Postgres comments nest. */
function afterComment(text: string, start: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  let depth = 0;
  for (let match = edge.exec(text); match; match = edge.exec(text)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return text.length;
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  return at === -1 ? text.length : at + end.length;
}
