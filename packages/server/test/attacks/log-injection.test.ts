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
    await fetch(`${url}/v1/cloudrun/${encoded}`);
    await fetch(`${url}/files/dev/files/${encoded}?sign=${encoded}`);
    await dev.call('getUploadMetaData', { path: text });
    await dev.call('batchDelete', { fileList: [text] });
    // An upload has its own log line; a path with control characters gets no grant.
    await dev.upload(`${evil}${FORGED}`, 'a').catch(() => {});
    const meta = await dev.grant('b.txt');
    await post(meta, text, 'a');
    const line = text.replace(/[\r\n]/g, '');
    const head = `Host: ${line}\r\nX-Request-Id: ${FORGED}\r\nConnection: close\r\n\r\n`;
    await sendRaw(port, Buffer.from(`GET /v1/${line} HTTP/1.1\r\n${head}`).toString('latin1'));
  }
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter(({ msg, level }) => msg === 'forged' || level === 'fatal')).toEqual([]);
  for (const line of written) expect(line).toMatch(/^\P{Cc}*\n$/u);
});
