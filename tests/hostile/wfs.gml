<OGRWFSDataSource><URL>http://127.0.0.1:@PORT@/wfs</URL></OGRWFSDataSource>
