// SPDX-License-Identifier: Apache-2.0
// Makes layouts in a worker, while the page stays responsive. Requests are answered in order.
import type { LayoutInput } from './input';
import { layOut } from './layout';
import { buffersOf, sent } from './sent';

const port = self as unknown as Worker;
port.onmessage = ({ data }: MessageEvent<LayoutInput>) => {
  const layout = sent(layOut(data));
  port.postMessage(layout, buffersOf(layout));
};
