import { expect, it } from 'vitest';
import { TestSteps } from './test-steps.ts';

it('C-80 masks a secret before it cuts what a service said', () => {
  const steps = new TestSteps((text) => text.replaceAll('correct-horse-battery', '[secret]'));
  expect(steps.head(`${'.'.repeat(10)}correct-horse-battery${'.'.repeat(20)}`, 20)).toBe(`${'.'.repeat(10)}[secret].…`);
});
