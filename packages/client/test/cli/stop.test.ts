import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { newFolder, SECRET, startCli } from './support/run-cli.ts';
import { startGateway } from './support/start-service.ts';

it('stops uploads on SIGINT, and reports it once', async () => {
  const root = await newFolder();
  for (const name of ['a', 'b']) await writeFile(join(root, name), name);
  const { url, started } = await startStorage();
  const child = startCli(['cp', root, 'remote:/'], {
    BERTH_ENV: 'dev',
    BERTH_STORAGE_URL: url,
    BERTH_SECRET_ID: 'id',
    BERTH_SECRET_KEY: SECRET,
  });
  const stderr = text(child.stderr as NodeJS.ReadableStream);
  await started;
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  expect({ code, stderr: await stderr }).toEqual({ code: 1, stderr: 'berth: Stopped.\n' });
});

/** Starts a storage API whose upload target never responds. */
async function startStorage() {
  let uploads = 0;
  const started = Promise.withResolvers<void>();
  const { variables } = await startGateway((response, { url = '', body }) => {
    if (!url.includes('storages:')) {
      uploads += 1;
      if (uploads === 2) started.resolve();
      return;
    }
    const { path } = JSON.parse(body);
    const target = `${variables.BERTH_GATEWAY_URL}/${path}`;
    const grant = { url: target, token: 't', authorization: 's', storeFileID: 'f' };
    const data = { ...grant, fileID: `cloud://dev.b/${path}` };
    const envelope = { statusCode: 200, body: { requestId: 'r', data } };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(envelope));
  });
  return { url: variables.BERTH_GATEWAY_URL, started: started.promise };
}
