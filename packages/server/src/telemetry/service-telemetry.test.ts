import { expect, it } from 'vitest'
import { MetricRegistry } from './service-telemetry.ts'

it('telemetry writes counters, gauges and histograms in the format of Prometheus', () => {
  const registry = new MetricRegistry()
  const requests = registry.counter('requests_total', 'Requests.', ['route', 'status'])
  registry.gauge('open', 'Open.', () => 3)
  const durations = registry.histogram('seconds', 'Time.', ['route'], [0.1, 1])
  requests(['/a', '200'])
  requests(['/a', '200'], 2)
  requests(['/"b"\\\n', '500'])
  for (const observed of [0.05, 0.5, 5]) durations(['/a'], observed)
  expect(registry.text()).toBe(
    [
      '# HELP requests_total Requests.',
      '# TYPE requests_total counter',
      'requests_total{route="/a",status="200"} 3',
      String.raw`requests_total{route="/\"b\"\\\n",status="500"} 1`,
      '# HELP open Open.',
      '# TYPE open gauge',
      'open 3',
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

it('telemetry stays bounded with any number of labels', () => {
  const registry = new MetricRegistry()
  const count = registry.counter('count', 'Count.', ['label'])
  for (let index = 0; index < 5_000; index += 1) count([`${index}`])
  expect(registry.text().split('\n').length).toBeLessThan(1_010)
})
