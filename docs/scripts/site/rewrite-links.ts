const FENCE = /^( *)(```|~~~).*?^\1\2 *$/gms;
const LINK = /(?<before>\]\()(?<target>(?![a-z][a-z+.-]*:|#)[^)\s]+)(?<after>\))/g;

/**
 * Rewrites the targets of the relative links of a Markdown text; code blocks and links to other hosts
 * stay.
 *
 * @param rewrite gives the new target
 */
export function rewriteLinks(markdown: string, rewrite: (target: string) => string): string {
  const blocks: string[] = [];
  const text = markdown.replace(FENCE, (block) => `\0${blocks.push(block) - 1}\0`);
  const rewritten = text.replace(
    LINK,
    (_link, before, target, after) => before + rewrite(target) + after,
  );
  return rewritten.replace(/\0(\d+)\0/g, (_mark, index) => blocks[Number(index)] ?? '');
}
