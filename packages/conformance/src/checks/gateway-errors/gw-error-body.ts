import { defineCheck } from '../check.ts';
import { cite } from '../support/cite.ts';
import { provokeErrors } from '../support/provoke-errors.ts';

export const gwErrorBody = defineCheck('GW-ERROR-BODY', [], async (t) => {
  for (const { what, exchange } of await provokeErrors(t)) {
    const { mediaType, json, text } = exchange.received;
    t.expect(
      mediaType === 'application/json',
      `${what}: the content type must be application/json, not ${cite(mediaType)}`,
      exchange,
    );
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    const came = cite(text);
    t.expect(isObject, `${what}: the body must be a JSON object, not ${came}`, exchange);
  }
});
