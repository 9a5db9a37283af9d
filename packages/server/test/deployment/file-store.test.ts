import { describe } from 'vitest';
import { checkDeployment } from './support/check-deployment.ts';

describe('on a disk', () => {
  checkDeployment('one process', { processes: 1 });
  checkDeployment('three processes behind a round robin', { processes: 3 });
});
