// SDKs that know nothing of the gateway call services behind it, and one uploads to the storage.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { tc3Storage, toWireProfile } from '@berth/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import axios from 'axios';
import FormData from 'form-data';
import OpenAI from 'openai';
import { Server as SocketServer } from 'socket.io';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../../scripts/testing/listen.ts';
import { startMock } from './targets/start-mock.ts';
import { startReference, type Target } from './targets/start-reference.ts';

const SERVICE = 'conformance';

let service: Listening;
beforeAll(async () => {
  service = await listen(await createService());
});
afterAll(() => service.close());

const SERVERS = { 'the reference server': startReference, 'the mock': startMock };

describe.each(Object.entries(SERVERS))('%s', (_, start) => {
  let target: Target;
  let base: string;
  let headers: { Authorization: string };
  beforeAll(async () => {
    target = await start({ fixtureUrl: service.url, isAlone: true });
    base = `${target.options.gatewayUrl}/v1/cloudrun/${SERVICE}`;
    headers = { Authorization: `Bearer ${target.options.gatewayToken}` };
  });
  afterAll(() => target.close());

  it('openai streams a completion', async () => {
    const { gatewayToken: apiKey = '' } = target.options;
    const openai = new OpenAI({ baseURL: `${base}/v1`, apiKey });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const stream = await openai.chat.completions.create({ model: 'm', messages, stream: true });
    const words = [];
    for await (const { choices } of stream) words.push(choices[0]?.delta.content);
    expect(words).toEqual(['Hel', 'lo 中']);
  });

  it('@modelcontextprotocol/sdk calls a tool over Streamable HTTP', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const url = new URL(`${base}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    const { content } = await client.callTool({ name: 'greet' });
    expect(content).toEqual([{ type: 'text', text: 'Hello' }]);
    await client.close();
  });

  it('socket.io-client upgrades from polling to a WebSocket', async () => {
    const { origin, pathname } = new URL(base);
    const socket = io(origin, { path: `${pathname}/socket.io`, extraHeaders: headers });
    const upgraded = new Promise((resolve) => socket.io.engine.once('upgrade', resolve));
    await upgraded;
    expect(await socket.emitWithAck('echo', { a: '中' }, Buffer.from([0, 255]))).toEqual([
      { a: '中' },
      Buffer.from([0, 255]),
    ]);
    socket.close();
  });

  it('axios uploads a form of form-data, and downloads the file', async () => {
    const { storageHeaders: names, uploadFields } = toWireProfile({});
    const { storageUrl, tc3SecretId: secretId = '', tc3SecretKey: secretKey = '' } = target.options;
    const { authorization, timestamp } = await tc3Storage({ secretId, secretKey })();
    const signed = { [names.authorization]: authorization, [names.timestamp]: timestamp };
    const call = async (operation: string, body: object) => {
      const url = `${storageUrl}/api/v2/envs/dev/storages:${operation}`;
      return (await axios.post(url, body, { headers: signed })).data.body.data;
    };
    const path = 'sdk/a b,中.txt';
    const grant = await call('getUploadMetaData', { path });
    const form = new FormData();
    form.append('key', path);
    form.append('Signature', grant.authorization);
    form.append(uploadFields.securityToken, grant.token);
    form.append(uploadFields.metaFileId, grant.storeFileID);
    form.append('file', Buffer.from('A file of 中.'), 'a b.txt');
    expect(await axios.post(grant.url, form)).toMatchObject({ status: 204 });
    const fileList = [{ fileID: grant.fileID, maxAge: 60 }];
    const [{ tempFileURL }] = (await call('batchGetTempUrls', { fileList })).fileList;
    expect((await axios.get(tempFileURL)).data).toBe('A file of 中.');
  });
});

/** Returns a server with an OpenAI completion, an MCP tool and Socket.IO. */
async function createService() {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/chat/completions') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (const content of ['Hel', 'lo 中'])
        response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
      return response.end('data: [DONE]\n\n');
    }
    if (request.url !== '/mcp') return response.writeHead(404).end();
    const id = request.headers['mcp-session-id'];
    let transport = transports.get(String(id));
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => {
          if (transport) transports.set(session, transport);
        },
      });
      const tools = new McpServer({ name: 'tools', version: '1.0.0' });
      tools.registerTool('greet', {}, () => ({ content: [{ type: 'text', text: 'Hello' }] }));
      await tools.connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  new SocketServer(server).on('connection', (socket) =>
    socket.on('echo', (value, bytes, reply) => reply([value, bytes])),
  );
  return server;
}
