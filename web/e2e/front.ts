// SPDX-License-Identifier: Apache-2.0
// Stands between browser and server: counts the streams of changes that are open, and refuses requests, is gone, or leads
// to another server as a test wants. Unlike the routes of the browser's driver it sees what shared workers ask, too.
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Refusal {
  readonly status: number;
  readonly message: string;
}

export class Front {
  refuse: (path: string) => Refusal | null = () => null;
  openStreams = 0;
  private readonly server = createServer((asked, answer) => this.pass(asked, answer));
  private port = 0;

  // Where its own address leads to.
  constructor(public target: string) {}

  get url(): string {
    const url = new URL(this.target);
    url.port = String(this.port);
    return url.href;
  }

  // On the port it had, if it was there before.
  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(this.port, "127.0.0.1", resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private pass(asked: IncomingMessage, answer: ServerResponse): void {
    const path = asked.url ?? "/";
    const refusal = this.refuse(path);
    if (refusal !== null) {
      const { status, message } = refusal;
      answer.writeHead(status, { "Content-Type": "application/json", "Retry-After": "1" });
      answer.end(JSON.stringify({ error: { code: "refused", message } }));
      return;
    }
    const isStream = path.endsWith("/api/v1/changes");
    if (isStream) this.openStreams += 1;
    const { hostname, port } = new URL(this.target);
    const { method, headers } = asked;
    const onward = request({ hostname, port, path, method, headers }, (came) => {
      answer.writeHead(came.statusCode ?? 500, came.headers);
      came.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    asked.pipe(onward);
    answer.on("close", () => {
      if (isStream) this.openStreams -= 1;
      onward.destroy();
    });
  }
}
