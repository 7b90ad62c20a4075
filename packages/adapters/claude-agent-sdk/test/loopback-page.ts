import { createServer } from 'node:https'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'

/**
 * A certificate for `localhost` and 127.0.0.1 that only this folder uses: Claude Code fetches pages only over HTTPS.
 */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUdYNmwohWMMKtWe/Gmq8rcJRN55UwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzAyNTkyN1oYDzIxMjYxMDMw
MDI1OTI3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQBsNK9azinAPCRmK7UzvttHFYLsWsADJJS/irwAPQmQm94jHso/Zsi
WnLFMrhY8siNwTtMqcUWsU7crUtbb/74o28wbTAdBgNVHQ4EFgQUFc+JgP3DcavE
6wieVe132cszgbcwHwYDVR0jBBgwFoAUFc+JgP3DcavE6wieVe132cszgbcwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgJ74YlEykG4BDzoaIxoiYkbeacV1xFl6/oQSF8gO6nCQCIH49
by90REY5hB8CF7bcjOXLQ4IDH0G7fZX7ap6Mv17M
-----END CERTIFICATE-----
`
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgS9wDlvG2loqD4TSy
4pwSI/ytTDRZMdyBws1NBM7UNnKhRANCAAQBsNK9azinAPCRmK7UzvttHFYLsWsA
DJJS/irwAPQmQm94jHso/ZsiWnLFMrhY8siNwTtMqcUWsU7crUtbb/74
-----END PRIVATE KEY-----
`

/** A page on the loopback. */
export interface LoopbackPage {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Serve a text over HTTPS, and write the certificate to trust into a file. */
export async function servePage(text: string, certificatePath: string): Promise<LoopbackPage> {
  await writeFile(certificatePath, CERTIFICATE)
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/markdown' })
    response.end(text)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/page.md`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
