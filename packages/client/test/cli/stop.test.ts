import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { newFolder, SECRET, startCli } from './support/run-cli.ts';
import { startGateway } from './support/start-service.ts';

it('stops an upload on SIGINT, reports it once, and keeps a list of the finished files', async () => {
  const root = await newFolder();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await writeFile(join(root, name), name);
  const list = join(await newFolder(), 'list');
  const { url, waiting, started } = await startStorage((path) => path === 'a');
  const child = startCli(['cp', root, 'remote:/', '--list', list], {
    BERTH_ENV: 'dev',
    BERTH_STORAGE_URL: url,
    BERTH_SECRET_ID: 'id',
    BERTH_SECRET_KEY: SECRET,
  });
  const stderr = text(child.stderr as NodeJS.ReadableStream);
  // Four files are uploaded at a time, so the fifth one means that the first is done.
  await started;
  expect(waiting).toEqual(expect.arrayContaining(['b', 'c', 'd', 'e']));
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  expect({ code, stderr: await stderr }).toEqual({ code: 1, stderr: 'berth: Stopped.\n' });
  expect(
    (await readFile(list, 'utf8')).split('\n').map((line) => line && JSON.parse(line).path),
  ).toEqual(['a', '']);
});

/** Starts a storage API whose upload target responds for some paths and never for the others. */
async function startStorage(hasResponse: (path: string) => boolean) {
  const waiting: string[] = [];
  const done = Promise.withResolvers<void>();
  const { variables } = await startGateway((response, { url = '', body }) => {
    if (url.includes('storages:')) {
      const { path } = JSON.parse(body);
      const grant = {
        url: `${variables.BERTH_GATEWAY_URL}/${path}`,
        fileID: `cloud://dev.b/${path}`,
      };
      const data = { ...grant, token: 't', authorization: 's', storeFileID: 'f' };
      const envelope = { statusCode: 200, body: { requestId: 'r', data } };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(envelope));
      return;
    }
    const path = url.slice(1);
    if (hasResponse(path)) response.writeHead(204).end();
    else waiting.push(path);
    if (waiting.length === 4) done.resolve();
  });
  return { url: variables.BERTH_GATEWAY_URL, waiting, started: done.promise };
}
