import type { Mutant } from '../mutant.ts';
import { ofService } from './support/behind.ts';
import { fault } from './support/fault.ts';

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
