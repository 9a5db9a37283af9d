import { HttpError } from '@berth/server-stubs';
import type { Handlers } from './index.gen.ts';

const names = ['Anchor', 'Rope'];

/** `GET /items/{id}` */
export const getItemsId: NonNullable<Handlers['getItemsId']> = async ({ path: { id } }) => {
  const name = names[id];
  if (name === undefined) throw new HttpError('not-found', `There is no item ${id}.`);
  return { status: 200, body: { id, name } };
};
