import { describe, expect, it } from 'vitest'
import { startService } from './start-service.ts'

const text = Array.from({ length: 5_000 }, (_, line) => `line ${line} of a secret log`).join('\n')
const offload = { toolName: 'read', toolCallId: 'call_1', content: [{ type: 'text', text }] }

describe('metrics', () => {
  it('count requests and tokens for Prometheus', async () => {
    const service = await startService()
    await service.post('/v1/offload', offload)
    await service.post('/grep', { pattern: '' })
    const page = await (await fetch(`${service.url}/metrics`)).text()
    expect(page).toContain('spillway_http_requests_total{method="POST",route="/grep",status="422"} 1')
    expect(page).toContain('spillway_http_failures_total{code="invalid-request"} 1')
    expect(page).toMatch(/spillway_tokens_total\{kind="original"\} \d{4,}/)
    expect(page).toMatch(/spillway_http_request_duration_seconds_bucket\{route="\/v1\/offload",le="\+Inf"\} 1/)
    expect(page).toContain('spillway_http_requests_in_flight 1')
  })
})
