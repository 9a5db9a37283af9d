import { expect, test } from 'vitest';
import { toFileName } from './block.ts';
import { readPage } from './read-page.ts';

const PAGE = `# Title

<!-- A comment that leads to no block. -->

Text with \`\`\`a fence\`\`\` in it.

- A list

  <!-- continues -->
  <!-- given
  const a = 1;
  -->
  ~~~ts
  a;

  a;
  ~~~

> \`\`\`\`yaml
> # services/orders.yaml
> \`\`\`
> \`\`\`\`

<!-- file: b/c.json -->

\`\`\`json title="c"
{}
\`\`\`
`;

test('reads each fenced block, with its line, its notes and its name', () => {
  const blocks = readPage('page.md', PAGE);
  expect(blocks.map((block) => ({ ...block, file: toFileName(block) }))).toEqual([
    expect.objectContaining({
      line: 14,
      lang: 'ts',
      code: 'a;\n\na;',
      notes: [
        { name: 'continues', value: '', body: '', line: 10 },
        expect.objectContaining({
          name: 'given',
          value: '',
          body: expect.stringContaining('= 1;\n'),
        }),
      ],
      file: undefined,
    }),
    expect.objectContaining({ line: 20, lang: 'yaml', file: 'services/orders.yaml' }),
    expect.objectContaining({ line: 27, lang: 'json', code: '{}', file: 'b/c.json' }),
  ]);
});
