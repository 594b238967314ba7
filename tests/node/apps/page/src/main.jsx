import React, { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { interval, map, scan } from 'rxjs';

function Counter({ label }) {
  const [count, setCount] = useState(0);
  return <button onClick={() => setCount(count + 1)}>{label}: {count}</button>;
}

interval(1000).pipe(map(n => n * 2), scan((sum, n) => sum + n, 0)).subscribe(sum => { document.title = String(sum); });
createRoot(document.getElementById('root')).render(<Counter label="Clicks" />);
