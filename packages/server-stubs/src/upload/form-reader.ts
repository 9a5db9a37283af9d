import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import { UploadError } from '../errors.ts';
import { hasResponse } from '../runtime/portable/http-error.ts';
import { DelimiterNormalizer } from './delimiter-normalizer.ts';
import {
  addField,
  isFileField,
  malformedForm,
  missingFileField,
  toFileType,
  type UploadInput,
} from './form.ts';

const FORM_LIMITS = { fields: 100, files: 10, fieldSize: 64 * 1024 };

/**
 * Reads a form with its file as a stream. Everything after the file is ignored, but must be complete.
 *
 * @param source the body of the request, limited in size
 * @throws UploadError if the media type of the request has no boundary
 */
export async function openForm(request: IncomingMessage, source: Readable, fileBytes: number) {
  const parser = await createParser(request, fileBytes);
  const normalizer = new DelimiterNormalizer(request.headers['content-type'] ?? '');
  const opened = Promise.withResolvers<Pick<UploadInput, 'fields' | 'file' | 'contentType'>>();
  const fields = new Map<string, string>();
  /** The content of the file, which ends only when the form does (D28). */
  let file: PassThrough | undefined;
  let failure: unknown;

  const fail = (error: unknown) => {
    failure ??= hasResponse(error) ? error : unreadableForm(error);
    source.unpipe(normalizer);
    opened.reject(failure);
    // The reader of the file must learn that its end will never arrive.
    file?.destroy(failure as Error);
  };
  const onClose = () => {
    if (!request.complete) fail(new Error('the client disconnected'));
  };
  request.once('close', onClose);
  parser
    .on('field', (name, value, _isNameCut, isCut) => {
      if (file !== undefined) return;
      try {
        if (isCut) throw tooMany(`bytes in field ${name}`, FORM_LIMITS.fieldSize);
        if (name === undefined) throw new Error('a field has no name');
        addField(fields, name, value);
      } catch (error) {
        fail(error);
      }
    })
    .on('file', (name, body, _filename, _encoding, mediaType) => {
      // The form reports the error, even if nobody reads this file.
      body.on('error', () => {});
      if (file !== undefined || !isFileField(name)) {
        body.resume();
        return;
      }
      const message = `The file is larger than ${fileBytes} bytes.`;
      body.once('limit', () => fail(new UploadError('EntityTooLarge', { message })));
      // A handler that rejects the form reads nothing, and an aborted form must not crash the process.
      file = new PassThrough().on('error', () => {}).on('close', () => body.destroy());
      body.pipe(file, { end: false });
      opened.resolve({ fields, file, contentType: toFileType(normalizer.fileType ?? mediaType) });
    })
    .on('fieldsLimit', () => fail(tooMany('fields', FORM_LIMITS.fields)))
    .on('filesLimit', () => fail(tooMany('files', FORM_LIMITS.files)))
    .on('error', fail)
    .on('finish', () => {
      if (file === undefined) fail(missingFileField());
      else if (failure === undefined) file.end();
    });
  source.on('error', fail).pipe(normalizer).on('error', fail).pipe(parser);

  return {
    /** The file and the fields before it. Rejects if the form fails earlier; a later failure destroys the file. */
    opened: opened.promise,
    /** Why the form failed; `undefined` if it has not. */
    findFailure: () => failure,
    /** Leaves the rest of the request to the router. */
    close() {
      request.off('close', onClose);
      source.unpipe(normalizer);
      if (!request.complete) request.pause();
      file?.destroy();
    },
  };
}

async function createParser(request: IncomingMessage, fileBytes: number): Promise<BusboyInstance> {
  // Loaded with the first form, because most servers never receive one and should start fast.
  const { Busboy } = await import('@fastify/busboy');
  try {
    return new Busboy({
      headers: { 'content-type': request.headers['content-type'] ?? '' },
      limits: { ...FORM_LIMITS, fileSize: fileBytes },
      isPartAFile: (name, _type, filename) => isFileField(name) || filename !== undefined,
    });
  } catch (error) {
    throw unreadableForm(error);
  }
}

function tooMany(what: string, max: number): UploadError {
  return malformedForm(`The form has more than ${max} ${what}.`);
}

function unreadableForm(error: unknown): UploadError {
  const reason = error instanceof Error ? error.message : String(error);
  return malformedForm(`The form cannot be read: ${reason}.`, error);
}
