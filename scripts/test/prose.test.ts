import { describe, expect, it } from 'vitest';
import { findMisquotations } from '../prose/find-misquotations.ts';
import { lintText } from '../prose/lint-text.ts';
/** In JSON, which the linter does not read. */
import sentences from './prose.json' with { type: 'json' };

const wordsOf = (text: string, file: string) =>
  lintText(text, file).map(({ message }) => /^"(.+)":/s.exec(message)?.[1]);

describe('the prose linter', () => {
  it.each(sentences.avoid)('finds the words to avoid in: %s', (sentence, ...found) => {
    const words = wordsOf(`# Title\n\n${sentence}\n`, 'page.md');
    expect(words.toSorted()).toEqual(found.toSorted());
  });

  it.each(sentences.allowed)('accepts the same words with another meaning: %s', (sentence) => {
    expect(wordsOf(`${sentence}\n`, 'page.md')).toEqual([]);
  });

  it.each(sentences.places as [string, string, number, number][])(
    'reads %s: %j',
    (file, text, line, column) => {
      expect(lintText(text, file)).toMatchObject([{ line, column }]);
    },
  );

  it.each(sentences.names as [string, string][])('reads no code in %s: %j', (file, text) => {
    expect(wordsOf(text, file)).toEqual([]);
  });
});

describe('quotations of decisions', () => {
  it.each(sentences.quotations)('accepts: %j', (text) => {
    expect(findMisquotations(text)).toEqual([]);
  });

  it.each(sentences.misquotations as [string, number, number][])(
    'finds: %j',
    (text, line, column) => {
      expect(findMisquotations(text)).toMatchObject([{ line, column }]);
    },
  );
});
