import { expect, test } from 'vitest';
import type { Evidence } from '../../http/exchange.ts';
import { type Fact, Model, type Name, NOTHING } from './model.ts';

const evidence = {} as Evidence;
const stored = (name: Name, content: number): Fact => ({ kind: 'stored', name, content, evidence });
const read = (name: Name, content: number): Fact => ({
  ...{ kind: 'read', name, content, evidence },
  url: content === NOTHING ? undefined : `http://a.example/${name}`,
  worksUntil: Date.now() + 5000,
});
const deleted = (name: Name, isSuccess = true): Fact => ({
  ...{ kind: 'deleted', name, isSuccess, evidence },
});
const copied = (from: Name, to: Name, more: object = {}, failures = 0): Fact => ({
  ...{ kind: 'copied', items: [{ from, to, ...more }], failures, evidence },
});
const followed = (model: Model, content: number, ended = Date.now()): Fact => {
  const [link] = model.links;
  if (link === undefined) throw new Error('There is no link.');
  return { kind: 'followed', link, content, ended, evidence };
};

function learn(...facts: Fact[]): Model {
  const model = new Model();
  for (const fact of facts) model.learn([fact]);
  return model;
}

const [a, b] = ['a.txt', 'level/a.txt'] as const;

test('a read returns the last content, whether it was uploaded or copied', () => {
  learn(stored(a, 1), stored(b, 2), copied(a, b), read(b, 1), read(a, 1));
  expect(() => learn(stored(a, 1), stored(a, 2), read(a, 1))).toThrow(
    'a.txt must have content 2, but a read returned content 1',
  );
});

test('the source of a move is gone, and stays if the move fails', () => {
  const move = { removeOriginal: true, overwrite: false };
  learn(stored(a, 1), copied(a, b, move), read(a, NOTHING), read(b, 1));
  learn(stored(a, 1), stored(b, 2), copied(a, b, move, 1), read(a, 1), read(b, 2));
  expect(() => learn(stored(a, 1), stored(b, 2), copied(a, b, move))).toThrow(
    '1 of 1 items of a copy must fail, but 0 did',
  );
});

test('a copy onto itself may succeed or fail and changes nothing, even without a file', () => {
  for (const failures of [0, 1]) {
    learn(copied(a, a, {}, failures), read(a, NOTHING));
    learn(stored(a, 1), copied(a, a, {}, failures), read(a, 1));
    expect(() => learn(copied(a, a, {}, failures), read(a, 1))).toThrow('must have nothing');
  }
});

test('a link to an overwritten file may fail or return either content, but no other', () => {
  for (const content of [NOTHING, 1, 2]) {
    const model = learn(stored(a, 1), read(a, 1), stored(a, 2));
    model.learn([followed(model, content)]);
  }
  const model = learn(stored(b, 3), stored(a, 1), read(a, 1), stored(a, 2));
  expect(() => model.learn([followed(model, 3)])).toThrow('but returned content 3');
});

test('a link to an unchanged file works as long as it lives', () => {
  const model = learn(stored(a, 1), read(a, 1));
  expect(() => model.learn([followed(model, NOTHING)])).toThrow('must return content 1');
  model.learn([followed(model, NOTHING, Date.now() + 60_000)]);
});

test('a deleted file is not found, but a cache may hold it for the links from before', () => {
  for (const content of [NOTHING, 1, 2]) {
    const model = learn(stored(a, 1), read(a, 1), deleted(a), stored(a, 2));
    model.learn([followed(model, content)]);
  }
  expect(() => learn(stored(a, 1), deleted(a), read(a, 1))).toThrow('must have nothing');
  expect(() => learn(deleted(a))).toThrow('a.txt does not exist');
});
