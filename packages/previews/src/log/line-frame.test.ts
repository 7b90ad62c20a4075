import { describe, expect, it } from 'vitest'
import { isForeignFrame } from './line-frame.ts'

describe('isForeignFrame', () => {
  it.each([
    '    at processTicksAndRejections (node:internal/process/task_queues:95:5)',
    '    at Layer.handle (/srv/app/node_modules/express/lib/router/layer.js:95:5)',
    '\tat org.junit.Assert.fail(Assert.java:110)',
    '  File "/usr/lib/python3/dist-packages/nose/case.py", line 197, in runTest',
    '   1: core::panicking::panic_fmt',
    '==88==    by 0x484B27F: free (in /usr/libexec/valgrind/lib.so)/usr/lib/',
    '\t... 48 common frames omitted',
  ])('knows %j', (line) => {
    expect(isForeignFrame(line)).toBe(true)
  })

  it.each([
    '    at rateOf (/srv/app/src/pricing.js:14:24)',
    '\tat com.example.shop.OrderService.place(OrderService.java:61)',
    '  File "/srv/app/worker.py", line 88, in run',
    'installed into /srv/app/node_modules',
    'at org.junit we test',
  ])('leaves %j alone', (line) => {
    expect(isForeignFrame(line)).toBe(false)
  })
})
