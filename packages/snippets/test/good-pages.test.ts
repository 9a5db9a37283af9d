import { expect } from 'vitest';
import { testOn } from '../../../scripts/testing/engines.ts';
import { checkText } from './check-text.ts';

const PAGE = `
\`\`\`sh
mkdir shop && cd shop
TOKEN='an y'; export OTHER=1
\`\`\`

\`\`\`ts
// services/orders.ts
export default { routes: { 'GET /orders': { json: [{ id: 'a' }] } } };
\`\`\`

\`\`\`sh
npx berth-mock --services ./services
\`\`\`

- In a list, from the folder of before:

  \`\`\`console
  $ echo "$TOKEN$OTHER" $(env | grep -c ^TOKEN=)
  an y1 0
  $ curl http://127.0.0.1:4010/v1/cloudrun/orders/orders -H "Authorization: Bearer any"
  [{"id":"a"}]
  \`\`\`

<!-- given
const orders = 'http://127.0.0.1:4010/v1/cloudrun/orders/orders';
-->

\`\`\`ts
const response = await fetch(orders, { headers: { authorization: 'Bearer any' } });
\`\`\`

<!-- continues -->

\`\`\`ts
console.log(await response.text());
\`\`\`

<!-- printed -->

\`\`\`text
[{"id":"a"}]
\`\`\`

<!-- given
declare const token: string;
-->

\`\`\`ts
console.log(token);
\`\`\`

\`\`\`sh
npx @berth/conformance --gateway-url https://dev.gateway.example --only GW
\`\`\`

\`\`\`http
GET / HTTP/1.1
\`\`\`
`;

testOn('curl')('each block of a page is assigned to one class', async () => {
  const { faults, outcomes, types } = await checkText(PAGE);
  expect([...faults, ...types]).toEqual([]);
  expect(outcomes.map(({ block, class: name }) => `${block.lang} ${name}`)).toEqual([
    'sh run',
    'ts run',
    'sh run',
    'console run',
    'ts run',
    'ts run',
    'text run',
    'ts type-checked',
    'sh parsed',
    'http left alone',
  ]);
});
