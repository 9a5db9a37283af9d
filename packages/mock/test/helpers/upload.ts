import {
  grant,
  link,
  put,
  toFields,
  type UploadMeta,
} from '../../../storage/test/support/client.ts';

export { post as postForm } from '../../../storage/test/support/client.ts';

interface Address {
  url: string;
}

/** Performs the first step of an upload. */
export const getGrant = ({ url }: Address, path: string) => grant({ base: url }, path);

/** Creates the form of the second step, without its file. */
export const toForm = (grant: UploadMeta, key: string) => toFields(key, grant);

/** Performs both steps. */
export const upload = ({ url }: Address, path: string, content: string, type?: string) =>
  put({ base: url }, path, content, type === undefined ? {} : { type });

/** Returns the link to a file; empty if there is none. */
export const getLink = ({ url }: Address, fileID: string, maxAge?: number) =>
  link({ base: url }, fileID, maxAge);

/** Returns the content of a file; undefined if the file is missing. */
export async function read(mock: Address, fileID: string): Promise<string | undefined> {
  const link = await getLink(mock, fileID);
  return link === '' ? undefined : (await fetch(link)).text();
}
