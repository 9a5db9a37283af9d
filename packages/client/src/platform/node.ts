export { fileSize } from './node/file-size.ts';
export { fileToBlob } from './node/file-to-blob.ts';
export { holdErrors } from './node/hold-errors.ts';
export { saveFile } from './node/save-file.ts';
export { toFetchBody } from './node/to-fetch-body.ts';
export { toWhole } from './node/to-whole.ts';

/** Whether any header may be sent to a link. */
export const sendsIfRange = true;
