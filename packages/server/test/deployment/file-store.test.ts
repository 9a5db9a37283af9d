import { checkDeployment } from './support/check-deployment.ts';

// One process on a disk is what `wire-profile.test.ts` checks.
checkDeployment('three processes on a disk, behind a round robin', { processes: 3 });
