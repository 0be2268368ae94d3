import { type NetworkMode, networkModes } from '../../src/web/network-modes.js';
import { client } from './client.js';
import { network, networkWords } from './network.js';
import { useStored } from './stored-value.js';

/** Breaks the network between this tab and the shop, and mends it. */
export function NetworkSwitch() {
  const mode = useStored(network);
  const choose = (next: NetworkMode) => {
    network.set(next);
    // As a device does when it is online again.
    if (next === 'works') void client.outbox.resume().catch(() => {});
  };
  return (
    <section className="card" aria-labelledby="network">
      <h2 id="network">The network</h2>
      <div className="modes" role="radiogroup" aria-labelledby="network">
        {networkModes.map((one) => (
          <label key={one} className={one === mode ? 'chosen' : ''}>
            <input
              type="radio"
              name="network"
              value={one}
              checked={one === mode}
              onChange={() => choose(one)}
            />
            {networkWords[one].name}
          </label>
        ))}
      </div>
      <p className="quiet">{networkWords[mode].what}</p>
    </section>
  );
}
