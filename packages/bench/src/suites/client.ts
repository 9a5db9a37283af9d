import { join } from 'node:path';
import { createStorageClient } from '@berth/client';
import createOpenapiClient from 'openapi-fetch';
import { compare } from '../compare.ts';
import { freePort } from '../free-port.ts';
import type { Row, Suite } from '../row.ts';
import { SERVER_CORE, startProcess, stopProcess } from '../start-process.ts';
import { waitFor } from '../wait-for.ts';

const SERVER = join(import.meta.dirname, '../servers/storage.ts');
const CALLS = 1000;
const PATH = '/api/v2/envs/{envId}/storages:batchDelete';
const BODY = { fileList: ['cloud://dev.files/reports/summary.txt'] };
const CREDENTIALS = { authorization: '1.0 a', sessionToken: '', timestamp: '1700000000' };
const HEADERS = {
  'X-Svc-Authorization': CREDENTIALS.authorization,
  'X-Svc-SessionToken': CREDENTIALS.sessionToken,
  'X-Svc-TimeStamp': CREDENTIALS.timestamp,
};

/** The same small call, one after the other: same headers, same body, the answer read as JSON. */
export const clientSuite: Suite = {
  name: 'client',
  description: `The client against bare fetch and openapi-fetch: ${CALLS} calls in sequence`,
  run: async (runs) => {
    const port = await freePort();
    const server = startProcess([SERVER, String(port)], SERVER_CORE);
    const baseUrl = `http://127.0.0.1:${port}`;
    try {
      await waitFor(baseUrl, { method: 'POST' });
      return [
        await compareWith('bare fetch', '<= 1.5', bareFetch(baseUrl), runs, baseUrl),
        await compareWith('openapi-fetch', '<= 1.2', openapiFetch(baseUrl), runs, baseUrl),
      ];
    } finally {
      await stopProcess(server);
    }
  },
};

type Call = () => Promise<unknown>;

function compareWith(
  peerName: string,
  goal: Row['goal'],
  peer: Call,
  runs: number,
  baseUrl: string,
): Promise<Row> {
  const subject = { suite: 'client', measure: `${CALLS} calls in sequence, ms`, peerName, goal };
  const ours = ourClient(baseUrl);
  return compare(
    subject,
    runs,
    () => time(ours),
    () => time(peer),
  );
}

async function time(call: Call): Promise<number> {
  const start = performance.now();
  for (let index = 0; index < CALLS; index += 1) await call();
  return performance.now() - start;
}

function ourClient(baseUrl: string): Call {
  const client = createStorageClient({ baseUrl, envId: 'dev', credentials: CREDENTIALS });
  return () => client.POST(PATH, { body: BODY });
}

function openapiFetch(baseUrl: string): Call {
  const client = createOpenapiClient<Record<string, never>>({ baseUrl, headers: HEADERS });
  const post = client.POST as (path: string, init: object) => Promise<unknown>;
  return () => post(PATH, { params: { path: { envId: 'dev' } }, body: BODY });
}

function bareFetch(baseUrl: string): Call {
  const url = `${baseUrl}${PATH.replace('{envId}', 'dev')}`;
  const headers = { ...HEADERS, 'Content-Type': 'application/json' };
  return async () => {
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(BODY) });
    return answer.json();
  };
}
