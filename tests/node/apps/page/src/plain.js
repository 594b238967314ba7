import React from 'react';
import { createRoot } from 'react-dom/client';
import * as rx from 'rxjs';

createRoot(document.getElementById('root')).render(React.createElement('p', null, Object.keys(rx).join()));
