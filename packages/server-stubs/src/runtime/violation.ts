/** One breach of the document, in a request or in an answer. */
export interface Violation {
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'body' | 'response';
  /** JSON Pointer of the value, from the part that `in` names: `/fileList/0/fileID`. */
  readonly pointer: string;
  /** JSON Schema keyword that does not hold, or a word of the runtime's own, such as `syntax`. */
  readonly keyword: string;
  /** A sentence that names the field and what is wrong: `body.fileList is missing.` */
  readonly message: string;
  /** Place of the keyword in the schema; empty where no schema was asked. */
  readonly schemaPath: string;
}
