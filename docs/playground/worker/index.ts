import { API_PATH } from '../choices.ts';
import { createApi } from './api.ts';

declare const self: ServiceWorkerGlobalScope;

/** Everything below this URL is the API; all other requests go to the site. */
const BASE_URL = self.registration.scope + API_PATH;

const respond = createApi(BASE_URL);

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('message', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  if (event.request.url.startsWith(`${BASE_URL}/`)) event.respondWith(respond(event.request));
});
