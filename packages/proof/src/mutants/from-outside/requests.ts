import type { Mutant } from '../mutant.ts';
import { behind, fault } from './fault.ts';

const lose = (name: string): Mutant =>
  fault(
    'GW-FORWARD-HEADERS',
    `${name} is lost`,
    behind(({ headers }) => headers.remove(name)),
  );

/** What gateways do to calls before they pass them on. */
export const requests: readonly Mutant[] = [
  fault(
    'GW-FORWARD-METHOD',
    'a POST without a body becomes a GET',
    behind((request) => {
      if (request.method === 'POST' && request.body.length === 0) request.method = 'GET';
    }),
  ),
  fault(
    'GW-FORWARD-METHOD',
    'a POST to the root of a service becomes a GET',
    behind((request) => {
      if (request.method !== 'POST' || !/^\/v1\/cloudrun\/[^/]+\/?$/.test(request.path)) return;
      request.method = 'GET';
      request.body = Buffer.alloc(0);
      request.headers.remove('Content-Type');
      request.headers.remove('Content-Length');
    }),
    ['GW-PATH-OPTIONAL', 'GW-PATH-TRAILING-SLASH'],
  ),
  fault(
    'GW-FORWARD-HEADERS',
    'a JSON content type gets a charset',
    behind(({ headers }) => {
      if (headers.get('Content-Type') === 'application/json')
        headers.set('Content-Type', 'application/json; charset=utf-8');
    }),
  ),
  fault(
    'GW-FORWARD-HEADERS',
    'parameters of the content type are lost',
    behind(({ headers }) => {
      const type = headers.get('Content-Type');
      if (type?.startsWith('application/json')) headers.set('Content-Type', 'application/json');
    }),
  ),
  fault(
    'GW-FORWARD-HEADERS',
    'values of headers are lower-cased',
    behind(({ headers }) => {
      for (const pair of headers.list) if (/^x-/i.test(pair[0])) pair[1] = pair[1].toLowerCase();
    }),
  ),
  fault(
    'GW-FORWARD-HEADERS',
    'of a repeated header the last is kept',
    behind(({ headers }) => {
      const last = new Map(headers.list.map(([name, value]) => [name.toLowerCase(), value]));
      for (const [name, value] of last) if (headers.all(name).length > 1) headers.set(name, value);
    }),
  ),
  fault(
    'GW-FORWARD-HEADERS',
    'headers with an empty value are lost',
    behind(({ headers }) => {
      headers.list = headers.list.filter(([, value]) => value !== '');
    }),
  ),
  fault(
    'GW-FORWARD-HEADERS',
    'values of headers are cut at 256 bytes',
    behind(({ headers }) => {
      for (const pair of headers.list) if (/^x-/i.test(pair[0])) pair[1] = pair[1].slice(0, 256);
    }),
  ),
  fault(
    'GW-FORWARD-HEADERS',
    'two spaces in a value become one',
    behind(({ headers }) => {
      for (const pair of headers.list) pair[1] = pair[1].replace(/ {2,}/g, ' ');
    }),
  ),
  fault(
    'GW-FORWARD-HEADERS',
    'what follows a comma in a value is lost',
    behind(({ headers }) => {
      for (const pair of headers.list)
        if (/^x-/i.test(pair[0])) pair[1] = pair[1].replace(/,.*/, '');
    }),
  ),
  fault(
    'GW-FORWARD-HEADERS',
    'headers of a GET are lost',
    behind(({ headers, method, path }) => {
      if (method === 'GET' && !path.includes('/events'))
        headers.list = headers.list.filter(([name]) => !/^x-/i.test(name));
    }),
  ),
  fault(
    'GW-FORWARD-HEADERS',
    'Accept becomes */*',
    behind(({ headers, path }) => {
      if (headers.get('Accept') && !path.includes('/events')) headers.set('Accept', '*/*');
    }),
  ),
  lose('Cookie'),
  lose('If-None-Match'),
  lose('Accept-Language'),
  lose('User-Agent'),
  fault(
    'GW-FORWARD-BODY',
    'JSON is parsed and written again',
    behind((request) => {
      const { json } = request;
      if (json !== undefined) request.json = json;
    }),
  ),
  fault(
    'GW-FORWARD-BODY',
    'an empty JSON object is sent as no body',
    behind((request) => {
      if (request.body.toString() === '{}') request.body = Buffer.alloc(0);
    }),
  ),
  fault(
    'GW-FORWARD-BODY',
    'what follows 16 KiB is lost',
    behind((request) => {
      request.body = request.body.subarray(0, 16_384);
    }),
  ),
  fault(
    'GW-FORWARD-BODY',
    'white space at the end is lost',
    behind((request) => {
      request.body = Buffer.from(request.body.toString('latin1').replace(/\s+$/, ''), 'latin1');
    }),
  ),
  fault(
    'GW-FORWARD-BODY',
    'CRLF becomes LF',
    behind((request) => {
      request.body = Buffer.from(
        request.body.toString('latin1').replaceAll('\r\n', '\n'),
        'latin1',
      );
    }),
  ),
  fault(
    'GW-FORWARD-BODY',
    'a chunked body is lost',
    behind((request) => {
      if (request.headers.get('Transfer-Encoding')) request.body = Buffer.alloc(0);
    }),
  ),
  fault(
    'GW-FORWARD-BODY',
    'characters beyond U+FFFF become question marks',
    behind((request) => {
      const text = request.body.toString();
      if (Buffer.from(text).equals(request.body))
        request.body = Buffer.from(text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'));
    }),
  ),
  fault(
    'GW-FORWARD-BODY',
    'a member named __proto__ or constructor is lost',
    behind((request) => {
      const text = request.body.toString('latin1');
      if (/"(__proto__|constructor)"/.test(text))
        request.body = Buffer.from(
          text.replace(/"(__proto__|constructor)"\s*:\s*("[^"]*"|\{[^}]*\}|\d+|\w+),?/g, ''),
          'latin1',
        );
    }),
  ),
];
