/** Indents lines by the braces and brackets that are open; comments and texts have none to count. */
export function indent(text: string): string {
  let depth = 0;
  let inComment = false;
  return text
    .split('\n')
    .map((raw) => {
      const line = inComment ? ` ${raw.trim()}` : raw.trim();
      const wasComment = inComment || line.startsWith('/**');
      if (line.startsWith('/**')) inComment = true;
      if (line.endsWith('*/')) inComment = false;
      if (wasComment) return `${'  '.repeat(depth)}${line}`.trimEnd();
      const bare = line.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, '');
      const closing = /^[}\])]*/.exec(bare)?.[0].length ?? 0;
      const here = depth - closing;
      depth += (bare.match(/[{[(]/g)?.length ?? 0) - (bare.match(/[}\])]/g)?.length ?? 0);
      return line === '' ? '' : `${'  '.repeat(Math.max(0, here))}${line}`;
    })
    .join('\n');
}
