// biome-ignore-all lint/suspicious/noExplicitAny: reads every corner of a document
/** A bundled document. */
export type Document = any;

export type Operation = {
  id: string;
  method: string;
  path: string;
  /** The path item, and the operation in it. */
  item: any;
  operation: any;
};

export function listOperations({ paths }: Document): Operation[] {
  return Object.entries<any>(paths).flatMap(([path, item]) =>
    ['get', 'post']
      .filter((method) => method in item)
      .map((method) => {
        const operation = item[method];
        return { id: operation.operationId, method, path, item, operation };
      }),
  );
}

/** The component that a reference leads to, or the value itself. */
export function resolve({ components }: Document, value: any): any {
  if (value?.$ref === undefined) return value;
  const [, , kind, name] = value.$ref.split('/');
  return components[kind][name];
}
