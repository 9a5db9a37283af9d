export { noFile as fileSize, noFile as fileToBlob, noFile as saveFile } from './web/no-file.ts';
export { toWhole } from './web/to-whole.ts';

/** What `fetch` is given of a form. */
export const toFetchBody = (_: unknown, data: FormData): FormData => data;

/** Holds the errors of streams of Node, which are not here. */
export const holdErrors = (_: readonly { readonly data: unknown }[]): void => {};

/** Whether any header may be sent to a link: a browser asks the server first (CORS). */
export const sendsIfRange = false;
