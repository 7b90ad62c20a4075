import { expect, it } from 'vitest'
import { Metric } from './service-metrics.ts'

it('metrics write counters and histograms in the format of Prometheus', () => {
  const requests = new Metric('requests_total', 'Requests.')
  const durations = new Metric('seconds', 'Time.', [0.1, 1])
  requests.add({ route: '/a', status: '200' }, 1)
  requests.add({ route: '/a', status: '200' }, 2)
  requests.add({ route: '/"b"\\\n', status: '500' }, 1)
  for (const observed of [0.05, 0.5, 5]) durations.observe({ route: '/a' }, observed)
  expect(requests.text() + durations.text()).toBe(
    [
      '# HELP requests_total Requests.',
      '# TYPE requests_total counter',
      'requests_total{route="/a",status="200"} 3',
      String.raw`requests_total{route="/\"b\"\\\n",status="500"} 1`,
      '# HELP seconds Time.',
      '# TYPE seconds histogram',
      'seconds_bucket{route="/a",le="0.1"} 1',
      'seconds_bucket{route="/a",le="1"} 2',
      'seconds_bucket{route="/a",le="+Inf"} 3',
      'seconds_sum{route="/a"} 5.55',
      'seconds_count{route="/a"} 3',
      '',
    ].join('\n'),
  )
})

it('metrics have a limited size with any number of labels', () => {
  const count = new Metric('count', 'Count.')
  for (let index = 0; index < 5_000; index += 1) count.add({ label: `${index}` }, 1)
  expect(count.text().split('\n').length).toBeLessThan(1_010)
})
