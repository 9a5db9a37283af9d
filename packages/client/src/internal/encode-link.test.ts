import { describe, expect, it } from 'vitest';
import { encodeLink } from './encode-link.ts';

describe('encodeLink', () => {
  it.each([
    ['https://h/a%20b.txt?sign=a%2Fb', 'https://h/a%20b.txt?sign=a%2Fb'],
    ['https://h/a b.txt', 'https://h/a%20b.txt'],
    ['https://h/a ', 'https://h/a%20'],
    [
      'https://h/报告/摘要.txt?sign=1',
      'https://h/%E6%8A%A5%E5%91%8A/%E6%91%98%E8%A6%81.txt?sign=1',
    ],
    ['https://h/100%.txt', 'https://h/100%25.txt'],
    ['https://h/%E6%8A%A5 x%zz', 'https://h/%E6%8A%A5%20x%25zz'],
    ['https://h/a#b.txt?sign=1', 'https://h/a%23b.txt?sign=1'],
    ['https://h/a\\b.txt', 'https://h/a%5Cb.txt'],
  ])('makes %j into %j', (link, encoded) => {
    expect(encodeLink(link)).toBe(encoded);
    expect(encodeLink(encoded)).toBe(encoded);
  });

  it.each(['', '/a.txt', 'no address'])('takes %j for no address', (link) => {
    expect(encodeLink(link)).toBeUndefined();
  });
});
