import { defineMutant } from '../mutant.ts';

export const stGetRefused = defineMutant({
  rule: 'ST-GET-REFUSED',
  breaks: 'an upload address can be had with a GET',
  companions: [],
  create: () => ({
    request(request) {
      if (request.method !== 'GET' || !request.path.endsWith('storages:getUploadMetaData')) return;
      const path = new URLSearchParams(request.query).get('path');
      if (path === null) return;
      request.method = 'POST';
      request.target = request.path;
      request.json = { path };
      request.headers.set('Content-Type', 'application/json');
      request.headers.set('Content-Length', String(request.body.length));
    },
  }),
});
