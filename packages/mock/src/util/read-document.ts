import type { ReadFile, ServiceFault } from './source-file.ts';

/** An OpenAPI document that includes the other files that it refers to. */
export interface ReadDocument extends ReadFile {
  /** The file, and the files that it refers to. */
  readonly files: readonly string[];
  readonly warnings: readonly ServiceFault[];
}

/**
 * Reads an OpenAPI document from one or more files, as `berth-stubs` does.
 *
 * @returns the document, or its errors if it cannot be read
 */
export async function readDocument(file: string): Promise<ReadDocument | ServiceFault[]> {
  const { loadDocument, UnreadableError } = await import('@berth/server-stubs/document');
  try {
    const { document, warnings, files, locate } = await loadDocument(file);
    const toPlace = (pointer: string) => {
      const [, line, column] = /:(\d+):(\d+)$/.exec(locate(pointer)) ?? [];
      return { line: Number(line), column: Number(column) };
    };
    return {
      value: document,
      files,
      warnings: warnings.map(({ pointer, message }) => ({ file, ...toPlace(pointer), message })),
      locate: ({ path }) => toPlace(['#', ...path.map(escapeStep)].join('/')),
    };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    const { place, message } = error;
    const reason = message.slice(file.length).replace(/^[:\d]* /, '');
    const sentence = `The document ${reason.replace(/[:.]?$/, '.')}`;
    return [{ file, ...(place && { line: place.line, column: place.col }), message: sentence }];
  }
}

/** RFC 6901, section 3. */
function escapeStep(step: string | number): string {
  return String(step).replaceAll('~', '~0').replaceAll('/', '~1');
}
