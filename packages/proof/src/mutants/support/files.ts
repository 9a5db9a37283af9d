import type { MutantContext } from '../mutant.ts';

/** The file ID of a path. */
export async function fileIdOf(context: MutantContext, path: string): Promise<string> {
  const data = await context.storage('getUploadMetaData', { path });
  return String(data?.fileID);
}

/** The bytes of a file; `undefined` where there is none. */
export async function readFile(
  context: MutantContext,
  fileID: string,
): Promise<Buffer | undefined> {
  const data = await context.storage('batchGetTempUrls', { fileList: [{ fileID }] });
  // biome-ignore lint/suspicious/noExplicitAny: an entry of the server, which is known
  const [entry] = (data?.fileList ?? []) as any[];
  if (entry?.code !== 'SUCCESS') return undefined;
  const { pathname, search } = new URL(entry.tempFileURL);
  const answer = await context.call({ method: 'GET', target: pathname + search, headers: {} });
  return answer.status === 200 ? answer.body : undefined;
}

export async function deleteFile(context: MutantContext, path: string): Promise<void> {
  await context.storage('batchDelete', { fileList: [await fileIdOf(context, path)] });
}
