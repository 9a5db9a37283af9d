// src/main.ts
import { bearer, createGatewayClient, createStorageClient } from '@berth/client';

if (import.meta.env.DEV) {
  const { worker } = await import('./mocks.ts');
  await worker.start();
}

const baseUrl = 'https://api.example.com';
const credentials = { authorization: '1.0 any', timestamp: 1_700_000_000 };
const users = createGatewayClient({ baseUrl, auth: bearer('token') }).service('users');
const storage = createStorageClient({ baseUrl, envId: 'dev', credentials });

const find = <Type extends HTMLElement>(id: string) => document.getElementById(id) as Type;

find('save').onclick = async () => {
  const text = find<HTMLTextAreaElement>('note').value;
  const { fileID } = await storage.upload('note.txt', text);
  const link = await storage.tempUrl(fileID);
  find('saved').textContent = `Saved: ${await (await fetch(link)).text()}`;
};

const { name } = await users.get<{ name: string }>('me');
find('greeting').textContent = `Hello, ${name}.`;
for await (const { data } of users.events('me/news')) find('news').append(data);
