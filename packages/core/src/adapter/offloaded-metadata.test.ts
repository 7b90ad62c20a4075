import { expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { ContextOffloader } from '../offload/context-offloader.ts'
import { OFFLOADED_KEY, withMetadata } from './offloaded-metadata.ts'

const offloader = new ContextOffloader({ storage: tinyStorage() })
const offload = (text: string) =>
  withMetadata(offloader, (one) =>
    one.offload({ toolName: 'read', toolCallId: 'call_1', content: [{ type: 'text', text }] }),
  )

it('the metadata describes the stored blocks of a result that was offloaded', async () => {
  const { result, metadata } = await offload('a line of a log\n'.repeat(5_000))
  expect(result.status).toBe('offloaded')
  expect(metadata?.[OFFLOADED_KEY].stored).toMatchObject([{ type: 'text', size: 80_000 }])
})

it('a result that is not offloaded has no metadata', async () => {
  expect(await offload('small')).toMatchObject({ result: { status: 'inline' } })
  expect(await offload('small')).not.toHaveProperty('metadata')
})
