import { expect, test } from 'vitest';
import { sendRaw } from '../support/send-raw.ts';
import { startDeployment } from './support/start-deployment.ts';
import { post } from './support/storage-client.ts';

const FORGED = '{"level":"fatal","msg":"forged"}';
const INJECTED = ['\r\n', '\u2028', '\u0085', '\x1b[2J\x1b[31m', '\x7f'];

test('no text of a caller starts a line of the log, or reaches a terminal', async () => {
  const started = await startDeployment({ log: { level: 'debug', calls: true } });
  const { dev, port, lines, written, url } = started;
  for (const evil of INJECTED) {
    const text = `a${evil}${FORGED}`;
    const encoded = encodeURIComponent(text);
    await fetch(`${url}/v1/cloudrun/${encoded}`).then((response) => response.text());
    await fetch(`${url}/files/dev/files/${encoded}?sign=${encoded}`).then((response) =>
      response.text(),
    );
    await dev.call('getUploadMetaData', { path: text });
    await dev.call('batchDelete', { fileList: [text] });
    // An upload has its own log line; a path with control characters gets no grant.
    await dev.upload(`${evil}${FORGED}`, 'a').catch(() => {});
    const meta = await dev.grant('b.txt');
    await post(meta, text, 'a');
    await sendRaw(
      port,
      Buffer.from(
        `GET /v1/${text.replace(/[\r\n]/g, '')} HTTP/1.1\r\nHost: ${text.replace(/[\r\n]/g, '')}\r\nX-Request-Id: ${FORGED}\r\nConnection: close\r\n\r\n`,
        'utf8',
      ).toString('latin1'),
    );
  }
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter(({ msg, level }) => msg === 'forged' || level === 'fatal')).toEqual([]);
  for (const line of written) expect(line).toMatch(/^\P{Cc}*\n$/u);
});

test('metrics have the labels of the contract, whatever callers send', async () => {
  const { url, port, adminUrl, dev, token } = await startDeployment();
  const bearer = token;
  for (const method of ['PROPFIND', 'QUERY', 'TRACE', 'LINK']) {
    const odd = `odd-${method}`;
    for (const path of [`/v1/cloudrun/${odd}/${odd}`, `/${odd}`, `/files/${odd}/${odd}`]) {
      await (await fetch(url + path)).text();
    }
    const target = `${url}/api/v2/envs/${odd}/storages:${odd}`;
    await (await fetch(target, { method: 'POST' })).text();
    const known = `Host: dev.localhost\r\nAuthorization: Bearer ${bearer}\r\nConnection: close\r\n\r\n`;
    await sendRaw(port, `GET /v1/cloudrun/svc-${odd} HTTP/1.1\r\n${known}`);
    await sendRaw(port, `${method} /${odd} HTTP/1.1\r\nHost: ${odd}\r\nConnection: close\r\n\r\n`);
    await dev.call('batchDelete', { fileList: [`cloud://${odd}.files/x`] });
  }
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  expect(metrics).toContain('service="other"');
  expect(metrics).not.toMatch(/odd|PROPFIND|QUERY|TRACE|LINK/);
});
