import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter } from 'yaml';
import { type Pointer, toNames } from '../document.ts';

/**
 * The place of a pointer as `file:line:column`; that of the closest object around it if it is not in the
 * file, because the document was converted or bundled.
 */
export type Locator = (pointer: Pointer) => string;

export function createJsonLocator(file: string, text: string): Locator {
  let tree: Node | undefined;
  let lines: LineCounter | undefined;
  return (pointer) => {
    // Read only for documents with warnings.
    tree ??= parseTree(text);
    lines ??= toLines(text);
    let node = tree;
    for (const name of toNames(pointer)) {
      const step = node?.type === 'array' ? Number(name) : name;
      const next = node && findNodeAtLocation(node, [step]);
      if (next === undefined) break;
      node = next;
    }
    const offset = node?.parent?.type === 'property' ? node.parent.offset : (node?.offset ?? 0);
    return toPlace(file, lines, offset);
  };
}

export function toLines(text: string): LineCounter {
  const lines = new LineCounter();
  for (let at = 0; at >= 0; at = text.indexOf('\n', at) + 1 || -1) lines.addNewLine(at);
  return lines;
}

export function createYamlLocator(file: string, yaml: Document, lines: LineCounter): Locator {
  return (pointer) => {
    let node: unknown = yaml.contents;
    let offset = 0;
    for (const name of toNames(pointer)) {
      const owner: unknown = isAlias(node) ? node.resolve(yaml) : node;
      if (isSeq(owner)) node = owner.items[Number(name)];
      else if (isMap(owner)) {
        const pair = owner.items.find(({ key }) => isScalar(key) && String(key.value) === name);
        if (isScalar(pair?.key)) offset = pair.key.range?.[0] ?? offset;
        node = pair?.value;
        continue;
      } else break;
      if (isMap(node) || isScalar(node)) offset = node.range?.[0] ?? offset;
    }
    return toPlace(file, lines, offset);
  };
}

function toPlace(file: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${file}:${line}:${col}`;
}
