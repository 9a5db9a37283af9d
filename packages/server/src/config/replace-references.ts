import { type Document, isScalar, type Node, visit } from 'yaml';

const REFERENCE = /\$\{([A-Za-z_]\w*)\}/g;

export interface Replaced {
  /** Texts that held a reference. */
  readonly nodes: ReadonlySet<unknown>;
  /** References to variables that are not set. */
  readonly missing: readonly { readonly name: string; readonly node: Node }[];
}

/** Replaces `${NAME}` in the texts of a YAML document by environment variables. */
export function replaceReferences(document: Document, env: NodeJS.ProcessEnv): Replaced {
  const nodes = new Set<Node>();
  const missing: { name: string; node: Node }[] = [];
  visit(document, {
    Scalar(key, node) {
      if (key === 'key' || !isScalar(node) || typeof node.value !== 'string') return;
      node.value = node.value.replace(REFERENCE, (reference, name: string) => {
        const value = env[name];
        nodes.add(node);
        if (value === undefined) missing.push({ name, node });
        return value ?? reference;
      });
    },
  });
  return { nodes, missing };
}
