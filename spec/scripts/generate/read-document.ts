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

/** Returns the component that a reference points to, or the value itself if it is not a reference. */
export function resolve({ components }: Document, value: any): any {
  if (value?.$ref === undefined) return value;
  const [, , kind, name] = value.$ref.split('/');
  return components[kind][name];
}
