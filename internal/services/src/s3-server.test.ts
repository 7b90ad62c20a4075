import { existsSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findCeph } from './find-s3.ts'
import { startS3Gateway } from './s3-gateway.ts'
import { startS3 } from './s3-server.ts'

const ceph = await findCeph()

describe.skipIf(!ceph.available)('an S3 server of Ceph', () => {
  test('answers, and leaves no files after disposal', async () => {
    const server = await startS3()
    const folder = server.cephFolder ?? ''
    expect(await (await fetch(server.endpoint)).text()).toContain('ListAllMyBucketsResult')
    expect(existsSync(folder)).toBe(true)
    await server.dispose()
    await expect(fetch(server.endpoint)).rejects.toThrow(TypeError)
    expect(existsSync(folder)).toBe(false)
  })

  test('can have another gateway, which can be killed and started again', async ({ skip }) => {
    const gateway = await startS3Gateway()
    if (!gateway.available) return skip(gateway.why)
    onTestFinished(() => gateway.dispose())
    await gateway.kill()
    await expect(fetch(gateway.endpoint)).rejects.toThrow(TypeError)
    await gateway.start()
    expect((await fetch(gateway.endpoint)).status).toBe(200)
  })
})
