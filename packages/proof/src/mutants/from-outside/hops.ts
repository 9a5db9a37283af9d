import type { Mutant } from '../mutant.ts';
import { listOrdered } from '../support/list-ordered.ts';
import { ofService } from './support/behind.ts';
import { fault } from './support/fault.ts';

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
