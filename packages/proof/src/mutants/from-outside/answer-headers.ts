import type { Mutant } from '../mutant.ts';
import { listOrdered } from '../support/answers.ts';
import { fault, ofService } from './fault.ts';

/** Headers of one hop that go further. */
export const hops: readonly Mutant[] = [
  fault(
    'GW-HOP-BY-HOP',
    'a header that Connection names in another case passes',
    ofService(({ headers }, request) => {
      for (const name of listOrdered(request, 'Connection')
        .join(',')
        .split(',')
        .map((one) => one.trim())) {
        for (const [key, value] of new URLSearchParams(request.query)
          .getAll('header')
          .map((line) => line.split(/:\s*/))) {
          if (key && key !== name && key.toLowerCase() === name.toLowerCase())
            headers.add(key, value ?? '');
        }
      }
    }),
  ),
  fault(
    'GW-HOP-BY-HOP',
    'of the headers that Connection names only the first is taken off',
    ofService(({ headers }, request) => {
      for (const name of listOrdered(request, 'Connection').join(',').split(',').slice(1)) {
        const [value] = listOrdered(request, name.trim());
        if (value !== undefined && !/^(keep-alive|close)$/i.test(name.trim()))
          headers.add(name.trim(), value);
      }
    }),
  ),
  ...['Keep-Alive', 'Proxy-Connection', 'TE', 'Upgrade'].map((name) =>
    fault(
      'GW-HOP-BY-HOP',
      `${name} passes`,
      ofService(({ headers }, request) => {
        const [value] = listOrdered(request, name);
        if (value !== undefined) headers.set(name, value);
      }),
    ),
  ),
  fault(
    'GW-HOP-BY-HOP',
    'headers that Connection names pass with an error',
    ofService(({ headers, status }, request) => {
      for (const name of listOrdered(request, 'Connection').join(',').split(',')) {
        const [value] = listOrdered(request, name.trim());
        if (status >= 400 && value !== undefined) headers.add(name.trim(), value);
      }
    }),
  ),
];

const drop = (name: string): Mutant =>
  fault(
    'GW-HEADERS',
    `${name} is lost`,
    ofService(({ headers }) => headers.remove(name)),
  );

/** What gateways do to the headers of answers. */
export const answerHeaders: readonly Mutant[] = [
  fault(
    'GW-HEADERS',
    'cookies are joined to one header',
    ofService(({ headers }) => {
      const cookies = headers.all('Set-Cookie');
      if (cookies.length > 1) headers.set('Set-Cookie', cookies.join(', '));
    }),
  ),
  fault(
    'GW-HEADERS',
    'of a repeated header the first is kept',
    ofService(({ headers }) => {
      for (const name of new Set(headers.list.map(([key]) => key.toLowerCase()))) {
        const [first, ...more] = headers.all(name);
        if (more.length > 0 && name !== 'content-disposition') headers.set(name, first ?? '');
      }
    }),
  ),
  fault(
    'GW-HEADERS',
    'JSON gets a charset',
    ofService(({ headers }) => {
      if (headers.get('Content-Type') === 'application/json')
        headers.set('Content-Type', 'application/json; charset=utf-8');
    }),
  ),
  fault(
    'GW-HEADERS',
    'text/html gets a charset',
    ofService(({ headers }) => {
      if (headers.get('Content-Type') === 'text/html')
        headers.set('Content-Type', 'text/html; charset=utf-8');
    }),
  ),
  fault(
    'GW-HEADERS',
    'a strong ETag becomes a weak one',
    ofService(({ headers }) => {
      if (headers.get('ETag')?.startsWith('"')) headers.set('ETag', `W/${headers.get('ETag')}`);
    }),
  ),
  fault('GW-HEADERS', 'Location is made absolute', ({ publicUrl }) =>
    ofService(({ headers }) => {
      if (headers.get('Location')?.startsWith('/'))
        headers.set('Location', publicUrl + headers.get('Location'));
    }),
  ),
  fault(
    'GW-HEADERS',
    'headers of an error of the service are lost',
    ofService(({ headers, status }) => {
      if (status >= 400)
        headers.list = headers.list.filter(([name]) =>
          /^(content-|x-request-id|x-svc|date|connection)/i.test(name),
        );
    }),
  ),
  fault(
    'GW-HEADERS',
    'headers with an empty value are lost',
    ofService(({ headers }) => {
      headers.list = headers.list.filter(([, value]) => value !== '');
    }),
  ),
  fault(
    'GW-HEADERS',
    'Cache-Control of a POST becomes no-store',
    ofService(({ headers }, { method }) => {
      if (method === 'POST' && headers.get('Cache-Control'))
        headers.set('Cache-Control', 'no-store');
    }),
  ),
  fault(
    'GW-HEADERS',
    'a long value is cut',
    ofService(({ headers }) => {
      for (const pair of headers.list)
        if (pair[1].length > 1_000) pair[1] = pair[1].slice(0, 1_000);
    }),
  ),
  fault(
    'GW-HEADERS',
    'values of unknown headers are lower-cased',
    ofService(({ headers }) => {
      for (const pair of headers.list)
        if (/^x-(?!request-id)/i.test(pair[0])) pair[1] = pair[1].toLowerCase();
    }),
  ),
  drop('Set-Cookie'),
  drop('WWW-Authenticate'),
  drop('Last-Modified'),
  drop('Link'),
  drop('Vary'),
  drop('X-Powered-By'),
  drop('Retry-After'),
  drop('Content-Language'),
];
